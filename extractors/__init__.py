"""Run one system on one document and return its ballot; one module per system."""
