"""Make documents whose truth is known by construction: content, then layout, then a rendered PDF."""
