from django.apps import AppConfig


class DemoShopConfig(AppConfig):
    name = "demo_shop"
