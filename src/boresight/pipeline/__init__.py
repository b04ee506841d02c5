"""A small pipeline of our own: index a collection, retrieve from it, and ask with the whole way on record.

``documents.py`` reads the collection, ``splitter.py`` makes passages of it, ``build.py`` puts them into an
``index.py`` on disk (texts, BM25, vectors). ``stages.py`` turns an index and a recipe into stages that can be
run, and run again with one of them changed; ``ask.py`` adds the generator. Needs the extra ``retrieval``
(``pip install "boresight[retrieval]"``).
"""
