"""People who can sign in."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models import Value
from django.db.models.functions import Lower, Now

from tenants.scoping import new_id


class UserManager(BaseUserManager["User"]):
    """Creates users; addresses are compared without case."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        # Spelled like the unique index; `iexact` would compare upper case and read every row.
        return self.alias(lower=Lower("email")).get(lower=Lower(Value(username)))


class User(AbstractBaseUser, PermissionsMixin):
    """A person who can sign in; may be a member of several tenants. Never a customer."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    email = models.EmailField(max_length=254, unique=True)
    name = models.CharField(max_length=120)
    is_active = models.BooleanField(default=True)
    # Platform operators of the staff back office; says nothing about any tenant.
    is_staff = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_unique")]

    def __str__(self) -> str:
        return self.email
