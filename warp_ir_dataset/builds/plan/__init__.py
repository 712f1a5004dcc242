"""Which addresses make a build: candidates are examined, then chosen by family, purpose and split."""
