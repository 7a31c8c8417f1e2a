"""A small shop's help pages, in several languages, for the tests of the knowledge search."""

PAGES = {
    "orders": """# Orders

Orders can be followed from your account page.

## Change an order

You can change the address or the items of an order until it is packed. Open the order and choose
**Edit order**.

## Cancel an order

An order can be cancelled within 30 minutes. After that, send the parcel back and get a refund.

```sh
# this is a comment and no heading
curl https://shop.example.com/orders/42
```
""",
    "shipping": """# Shipping

## Delivery times {: #times }

Parcels within the country arrive within two working days. Abroad it takes a week.

## Shipping costs

Shipping costs 4.90 and is free from 50 upwards.
""",
    "account": """# Your account

## Password

To reset a forgotten password, choose *Forgot password* on the sign-in page. We send a link that is
valid for one hour.

## Settings

`MAX_LOGIN_ATTEMPTS` is 5. Set `sessionTimeout` to sign out earlier.
""",
    "garantie": """# Garantie

## Dauer der Garantie

Auf alle Geräte geben wir zwei Jahre Garantie. Bewahren Sie die Rechnung auf. Die Prüfung eines
defekten Gerätes dauert etwa eine Woche.
""",
    "devolucion": """# Devoluciones

## Cómo devolver un artículo

Puede devolver los artículos en un plazo de treinta días. Las devoluciones son gratuitas.
""",
    "opening": """# 営業時間

## 店舗

東京の店舗は午前十時から午後八時まで営業しています。日曜日は休業です。
""",
}


def write_pages(folder, pages=None):
    for name, text in (pages or PAGES).items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder
