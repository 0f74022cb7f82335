"""Data that ships with the service; read through ``adapters/packaged.py``."""
