"""Patterns of text that forges a chat turn or gives orders to a model.

Precision comes first: prose, code and dialogue must not match, so an order counts only when it is about other
passages, instructions or the model itself. HTML and script are no orders. All patterns are matched against
text in compatibility form, without invisible characters and in lower case, and take linear time.
"""

from __future__ import annotations

import re

_OBJECTS = (
    r"(?:instructions?|passages?|documents?|contexts?|sources?|texts?|prompts?|messages?|rules|directions|"
    r"commands?|guidelines|information|content|snippets?|results|paragraphs?|articles?)"
)
_WHICH = (
    r"(?:other|previous|prior|preceding|earlier|above|former|foregoing|existing|original|initial|system|"
    r"your|remaining|retrieved|provided|given|following)"
)
_FILLER = r"(?:(?:all|any|every|each|the|of|these|those|and|or|else|my|our|to|in) ){0,4}"
_IGNORE = r"(?:ignore|disregard|forget|override|overrule|bypass|do not (?:use|follow|trust|obey|consider))"

_CONTROL = (
    # <|im_start|>, <|eot_id|>, <|user|>, <|channel|>; full-width bars (DeepSeek) are plain in compatibility form
    r"<\|[a-z][a-z0-9_ \u2581-]{1,40}\|>",
    r"\[/?(?:inst|system_prompt|available_tools|tool_calls|tool_results)\]",
    r"<</?sys>>",
    r"</?(?:start|end)_of_(?:turn|text|role|image)>",
    r"</?(?:think|tool_call|tool_response|function_calls|system|assistant|eos|bos)>",
    r"</s>\s*<s>|<s>\s*\[inst\]",
)
_TURNS = (
    r"^\s*#{2,4} ?(?:system|instruction|assistant|response|new instructions?)\b ?(?:prompt|message)?:",
    r"^\s*\W{0,3}system(?: prompt| message| override| instructions?)?\W{0,3}: ?"
    r"(?:you (?:are|must|will|should)|ignore|disregard|forget|always|never|answer|reply|respond|from now on|"
    r"do not|say|output|the (?:assistant|model|correct answer)|new |your )",
    r"^\s*(?:human|user):[^\n]*\n(?:[^\n]*\n){0,4}?\s*assistant:",
    r"\b(?:begin|end|start of|end of) (?:new )?(?:system prompt|system message|system instructions?)\b",
)
_ORDERS = (
    rf"\b{_IGNORE} {_FILLER}{_WHICH} (?:[a-z-]+ ){{0,2}}{_OBJECTS}\b",
    rf"\b{_IGNORE} {_FILLER}{_OBJECTS} (?:above|before|so far|that came before|you (?:were|have been) given)\b",
    rf"\b{_IGNORE} (?:everything|anything|all|what)(?: that)? (?:above|before|else|you (?:were|have been) told)\b",
    r"\byou are now (?:an? |the |in |called |known as )?(?:[a-z-]+ ){0,3}"
    r"(?:assistant|ai|model|chat ?bot|bot|dan|mode|persona|agent|jailbroken|unrestricted|unfiltered|hacker)\b",
    r"\bfrom now on,? (?:you (?:are|will|must|should|only|always)|(?:always |only )?(?:answer|respond|reply|act))\b"
    r"[^.\n]{0,80}",
    r"\b(?:reveal|print|repeat|output|show|leak|tell me) (?:me )?(?:your|the) "
    r"(?:system prompt|hidden prompt|initial prompt|(?:system |hidden |secret |initial )?instructions)\b",
    r"\bwhen(?:ever)? you are asked (?:to (?:provide|give|answer)|about|for|the)\b",
    r"\b(?:if|when) you are (?:an? )?(?:ai|llm|large language model|language model|chat ?bot|ai assistant)\b",
    r"\b(?:note|attention|message|instructions?|important) (?:to|for) (?:the |all |any )?"
    r"(?:ai|llms?|language models?|assistants?|chat ?bots?|ai (?:assistant|model)s?)\b ?:",
    r"\b(?:do not|never) (?:mention|cite|reveal|rely on) (?:the |any |any of the )?(?:other|previous|above) "
    rf"{_OBJECTS}\b",
    r"\b(?:your|the) (?:only |new )(?:task|instructions?|goal|objective) (?:is|are)(?: now)? to "
    r"(?:answer|say|output|reply|respond|ignore|print)\b",
    r"\bnew (?:system )?instructions?: ",
    r"\b(?:developer|debug|god|jailbreak) mode (?:is )?(?:enabled|activated|on)\b",
    r"\byou must (?:only )?(?:answer|respond|reply|say|output)(?: only)?(?: with)?:? ?['\"\u201c]",
)
_OTHER_LANGUAGES = (
    # German, Dutch
    r"\b(?:ignorieren? sie|ignoriere|vergiss|vergessen sie|missachte) (?:bitte )?(?:alle |die |deine |ihre |"
    r"s\u00e4mtliche ){0,3}(?:anderen|vorherigen|bisherigen|vorigen|obigen|fr\u00fcheren) "
    r"(?:anweisungen|dokumente|texte|passagen|quellen|instruktionen|kontexte|abschnitte|befehle)",
    r"\bnegeer (?:alle |de |deze ){0,2}(?:andere|vorige|eerdere|bovenstaande) "
    r"(?:instructies|documenten|passages|bronnen|teksten)",
    # French
    r"\b(?:ignorez?|oubliez?|ne tenez pas compte d[e']s?) (?:toutes |tous |les |des |vos |tes ){0,3}"
    r"(?:(?:autres|pr\u00e9c\u00e9dentes) )?"
    r"(?:instructions|consignes|documents|passages|sources|textes) ?(?:pr\u00e9c\u00e9dent|ci-dessus|ant\u00e9rieur)",
    r"\b(?:ignorez?|oubliez?) (?:toutes |tous |les ){1,3}autres "
    r"(?:instructions|consignes|documents|passages|sources|textes)",
    # Spanish, Portuguese, Italian
    r"\b(?:ignora|ignore|ignorad|olvida|olvide|esque\u00e7a|desconsidere|dimentica|ignorate) "
    r"(?:todas |todos |las |los |as |os |tutte |tutti |le |gli |i |tus |suas ){1,3}"
    r"(?:(?:otras|otros|outras|outros|altre|altri|dem\u00e1s|precedenti|anteriores) )?"
    r"(?:instrucciones|instru\u00e7\u00f5es|istruzioni|documentos|documenti|pasajes|passagens|fuentes|fontes|"
    r"fonti|textos|testi)(?: (?:anteriores|previas|previos|precedenti|acima))?",
    # Polish, Turkish, Russian
    r"\b(?:zignoruj|ignoruj) (?:wszystkie )?(?:poprzednie|inne|powy\u017csze) (?:instrukcje|dokumenty|polecenia)",
    r"(?:\u00f6nceki|di\u011fer) (?:t\u00fcm )?(?:talimatlar\u0131|belgeleri) (?:yok say|g\u00f6rmezden gel|unut)",
    r"(?:\u0438\u0433\u043d\u043e\u0440\u0438\u0440\u0443\u0439|\u0437\u0430\u0431\u0443\u0434\u044c)(?:\u0442\u0435)? "
    r"(?:\u0432\u0441\u0435 )?(?:\u043f\u0440\u0435\u0434\u044b\u0434\u0443\u0449\u0438\u0435|\u0434\u0440\u0443\u0433\u0438\u0435|"
    r"\u043e\u0441\u0442\u0430\u043b\u044c\u043d\u044b\u0435) "
    r"(?:\u0438\u043d\u0441\u0442\u0440\u0443\u043a\u0446\u0438\u0438|\u0434\u043e\u043a\u0443\u043c\u0435\u043d\u0442\u044b|"
    r"\u0442\u0435\u043a\u0441\u0442\u044b|\u0438\u0441\u0442\u043e\u0447\u043d\u0438\u043a\u0438|\u0443\u043a\u0430\u0437\u0430\u043d\u0438\u044f)",
    # Chinese, Japanese, Korean
    r"(?:\u5ffd\u7565|\u65e0\u89c6|\u7121\u8996|\u5ffd\u8996|\u4e0d\u8981\u7406\u4f1a)(?:\u6240\u6709|\u6389|\u4f60){0,2}"
    r"(?:\u4e4b\u524d|\u4ee5\u4e0a|\u4e0a\u9762|\u5176\u4ed6|\u5176\u5b83|\u5176\u4f59|\u5148\u524d|\u524d\u9762)"
    r"(?:\u7684)?(?:\u6240\u6709)?(?:\u6307\u4ee4|\u6307\u793a|\u6587\u6863|\u6587\u4ef6|\u6bb5\u843d|\u5185\u5bb9|"
    r"\u63d0\u793a|\u4fe1\u606f|\u8d44\u6599)",
    r"(?:\u4ee5\u524d|\u4e0a\u8a18|\u4ed6|\u307b\u304b|\u3053\u308c\u307e\u3067)\u306e(?:\u3059\u3079\u3066\u306e)?"
    r"(?:\u6307\u793a|\u547d\u4ee4|\u6587\u66f8|\u6587\u7ae0|\u8cc7\u6599)(?:\u3092|\u306f)(?:\u3059\u3079\u3066)?\u7121\u8996",
    r"(?:\uc774\uc804|\uc704\uc758|\ub2e4\ub978)(?: ?\ubaa8\ub4e0)? (?:\uc9c0\uc2dc|\uba85\ub839|\ubb38\uc11c)"
    r"(?:\uc0ac\ud56d)?(?:\ub4e4)?(?:\uc744|\ub97c) (?:\ubaa8\ub450 )?\ubb34\uc2dc",
    # Arabic, Hindi
    r"\u062a\u062c\u0627\u0647\u0644 (?:\u062c\u0645\u064a\u0639 |\u0643\u0644 )?"
    r"(?:\u0627\u0644\u062a\u0639\u0644\u064a\u0645\u0627\u062a|\u0627\u0644\u0645\u0633\u062a\u0646\u062f\u0627\u062a|"
    r"\u0627\u0644\u0648\u062b\u0627\u0626\u0642) (?:\u0627\u0644\u0633\u0627\u0628\u0642\u0629|\u0627\u0644\u0623\u062e\u0631\u0649)",
    r"(?:\u092a\u093f\u091b\u0932\u0947|\u0905\u0928\u094d\u092f|\u0938\u092d\u0940) (?:\u0938\u092d\u0940 )?"
    r"(?:\u0928\u093f\u0930\u094d\u0926\u0947\u0936\u094b\u0902|\u0926\u0938\u094d\u0924\u093e\u0935\u0947\u091c\u093c?\u094b\u0902) "
    r"\u0915\u094b (?:\u0905\u0928\u0926\u0947\u0916\u093e|\u0928\u091c\u093c?\u0930\u0905\u0902\u0926\u093e\u091c)",
)


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.MULTILINE)


PATTERNS: dict[str, re.Pattern[str]] = {
    "a control token of a chat template": _any_of(*_CONTROL),
    "a forged chat turn": _any_of(*_TURNS),
    "an order to the model": _any_of(*_ORDERS, *_OTHER_LANGUAGES),
}
"""What is looked for, by the words a finding uses for it."""

TAG_CHARACTERS = re.compile(r"(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0020-\U000e007e]{3,}")
"""Invisible letters; behind a black flag they are the flag of a region."""
