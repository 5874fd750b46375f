"""Re-capture a clean document as a worn or photographed one, and carry its truth along."""
