"""Parts of the estimators benchmark."""
