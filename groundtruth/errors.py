"""Every error a user can meet, as one tree.

::

    GoldleafError                 exit code 2: misuse or bad input; the message names the file, the leaf and the cure
    ├── DocumentError             a document cannot be used
    │   ├── UnsupportedDocument   a kind of file we do not read
    │   ├── EncryptedDocument     needs a password
    │   ├── BrokenDocument        empty, truncated, or lies about what it is
    │   └── DocumentTooLarge      past a stated limit
    ├── SchemaError               not a usable JSON Schema, or not freezable
    ├── RulesError                field rules that do not fit their schema
    ├── PathError                 text that is not a leaf path
    ├── JsonError                 text that is not the JSON we accept
    ├── BallotError               a ballot file that nobody can vote with
    ├── PanelError                systems that cannot vote together (too many, twice, unknown)
    ├── NoBallots                 a document on which no system has a usable ballot
    ├── DatasetError              a dataset folder that is absent, foreign, or in the way
    │   ├── DuplicateDocument     same id or same bytes as a document that is there
    │   └── UnknownDocument       an id the dataset does not hold
    ├── ExtractorError            an extractor that is unknown or cannot run here
    ├── ReviewError               a labelling server that cannot be used, or a review that cannot be sent
    ├── SynthesisError            a synthetic document that cannot be made, or is not what its content says
    ├── RecipeError               a recipe of re-captures that is unknown, malformed, or not made here
    ├── WorkLimitExceeded         an exact computation that would pass its stated bound
    └── EngineError               the orchestration engine did not start or was lost
"""

from __future__ import annotations


class GoldleafError(Exception):
    """Root of the tree. ``str(error)`` is one message for a person: what is wrong, where, and what to do."""


class DocumentError(GoldleafError):
    """A document cannot be used; the message starts with its file."""


class UnsupportedDocument(DocumentError):
    """A kind of file that is not read."""


class EncryptedDocument(DocumentError):
    """A document that needs a password to open."""


class BrokenDocument(DocumentError):
    """An empty, truncated or damaged document, or one whose content belies its name."""


class DocumentTooLarge(DocumentError):
    """A document past one of the limits in ``pages.Limits``."""


class SchemaError(GoldleafError):
    """A JSON Schema that cannot be used; the message names the schema path."""


class RulesError(GoldleafError):
    """Field rules that are malformed, or name a field their schema does not have."""


class PathError(GoldleafError):
    """Text that is not a leaf path."""


class JsonError(GoldleafError):
    """Text that is not the JSON this project accepts."""


class BallotError(GoldleafError):
    """A ballot file that nobody can vote with."""


class PanelError(GoldleafError):
    """Systems that cannot form a panel: more than five, one twice, or one without ballots."""


class NoBallots(GoldleafError):
    """No system has a usable ballot for the document, so there is no vote."""


class DatasetError(GoldleafError):
    """A dataset folder that is absent, foreign, of another format, or in the way."""


class DuplicateDocument(DatasetError):
    """A document whose id or bytes the dataset holds already; the message names both."""


class UnknownDocument(DatasetError):
    """A document id that the dataset does not hold."""


class ExtractorError(GoldleafError):
    """An extractor that is unknown, or that cannot run on this machine."""


class ReviewError(GoldleafError):
    """A labelling server that cannot be used as it is, or a review that cannot be sent; the message has the cure."""


class SynthesisError(GoldleafError):
    """A synthetic document that cannot be made as asked; the message names the leaf, the character and the cure."""


class RecipeError(GoldleafError):
    """A recipe that is unknown, malformed, or of a version that is not made here; the message says what differs."""


class WorkLimitExceeded(GoldleafError):
    """An exact computation that would pass its stated bound on work; nothing is approximated instead."""


class EngineError(GoldleafError):
    """The orchestration engine did not start, or was lost while it ran."""
