"""What is bought, run, traded and taxed in everyday life."""
