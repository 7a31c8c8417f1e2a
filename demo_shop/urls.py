"""The pages of the demo shop; part of the demo only."""

from django.urls import path

from demo_shop import views

urlpatterns = [
    path("shop/", views.shop, name="demo-shop"),
    path("shop/orders/<str:number>", views.order, name="demo-shop-order"),
]
