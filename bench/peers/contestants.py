"""The peers: how each seeds a talk, and what one turn is."""

import asyncio
from itertools import cycle
from random import choice
from uuid import uuid4

import psycopg
from agent_framework import AgentSession, InMemoryHistoryProvider, Message
from agents.extensions.memory import SQLAlchemySession
from langchain_core.messages import AIMessage, HumanMessage
from langchain_postgres import PostgresChatMessageHistory
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import START, MessagesState, StateGraph
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from sqlalchemy.ext.asyncio import create_async_engine

from bench.measure import timed
from bench.raw import WINDOW

# No two alike, as people write: a whole talk in one value would else be compressed to nothing.
_WORDS = [" ".join(uuid4().hex for _ in range(13))[:400] for _ in range(512)]


def body():
    """400 characters."""
    return choice(_WORDS)


class Peer:
    """Sessions of one length, taken in turn."""

    name = ""

    def __init__(self, url):
        self.url = url
        self.ids = []

    def seed(self, length, count):
        self.ids = [str(uuid4()) for _ in range(count)]
        for session_id in self.ids:
            self.fill(session_id, length)
        self.turns = cycle(self.ids)

    def block(self, count):
        return [timed(lambda: self.turn(next(self.turns))) for _ in range(count)]

    def close(self):
        """Connections end with the process."""


class LangChainPostgres(Peer):
    name = "langchain-postgres PostgresChatMessageHistory"

    def __init__(self, url):
        super().__init__(url)
        self.connection = psycopg.connect(url)
        PostgresChatMessageHistory.create_tables(self.connection, "lc_history")

    def history(self, session_id):
        return PostgresChatMessageHistory("lc_history", session_id, sync_connection=self.connection)

    def fill(self, session_id, length):
        self.history(session_id).add_messages([
            (HumanMessage if n % 2 else AIMessage)(body()) for n in range(length)
        ])  # fmt: skip

    def turn(self, session_id):
        history = self.history(session_id)
        assert history.messages
        history.add_messages([HumanMessage(body()), AIMessage(body())])

    def close(self):
        self.connection.close()


class LangGraphSaver(Peer):
    name = "LangGraph PostgresSaver (defaults)"

    def __init__(self, url):
        super().__init__(url)
        self.connection = psycopg.connect(
            url, autocommit=True, prepare_threshold=0, row_factory=dict_row
        )
        saver = PostgresSaver(self.connection)
        saver.setup()
        graph = StateGraph(MessagesState)
        graph.add_node("answer", lambda _: {"messages": [AIMessage(body())]})
        graph.add_edge(START, "answer")
        self.graph = graph.compile(checkpointer=saver)

    def config(self, session_id):
        return {"configurable": {"thread_id": session_id}}

    def fill(self, session_id, length):
        said = [(HumanMessage if n % 2 else AIMessage)(body()) for n in range(length)]
        self.graph.update_state(self.config(session_id), {"messages": said}, as_node="answer")

    def turn(self, session_id):
        self.graph.invoke({"messages": [HumanMessage(body())]}, self.config(session_id))

    def close(self):
        self.connection.close()


class InLoop(Peer):
    """A peer that is asynchronous: one event loop for all its turns."""

    def __init__(self, url):
        super().__init__(url)
        self.runner = asyncio.Runner()

    def fill(self, session_id, length):
        self.runner.run(self.afill(session_id, length))

    def block(self, count):
        return self.runner.run(self.several(count))

    async def several(self, count):
        loop, taken = asyncio.get_running_loop(), []
        for _ in range(count):
            session_id, started = next(self.turns), loop.time()
            await self.aturn(session_id)
            taken.append(loop.time() - started)
        return taken

    def close(self):
        self.runner.close()


class OpenAIAgentsSession(InLoop):
    name = "openai-agents SQLAlchemySession (asyncpg, limit 40)"

    def __init__(self, url):
        super().__init__(url)
        self.engine = create_async_engine(url.replace("postgresql://", "postgresql+asyncpg://"))

    def session(self, session_id):
        return SQLAlchemySession(session_id, engine=self.engine, create_tables=False)

    async def afill(self, session_id, length):
        first = SQLAlchemySession(session_id, engine=self.engine, create_tables=True)
        await first.add_items([
            {"role": "user" if n % 2 else "assistant", "content": body()} for n in range(length)
        ])  # fmt: skip

    def seed(self, length, count):
        super().seed(length, count)
        # It sorts by time; seeded in one go, all would have the same.
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                "UPDATE agent_messages SET created_at = now() + (id - (SELECT max(id) FROM"
                " agent_messages)) * interval '1 second' - interval '1 minute'"
            )

    async def aturn(self, session_id):
        session = self.session(session_id)
        assert await session.get_items(limit=WINDOW)
        await session.add_items([
            {"role": "user", "content": body()}, {"role": "assistant", "content": body()},
        ])  # fmt: skip

    def close(self):
        self.runner.run(self.engine.dispose())
        super().close()


class FrameworkSession(InLoop):
    name = "Agent Framework session as JSON (InMemory, to_dict to jsonb)"

    def __init__(self, url):
        super().__init__(url)
        self.provider = InMemoryHistoryProvider("memory")
        self.connection = psycopg.connect(url)
        self.connection.execute(
            "CREATE TABLE IF NOT EXISTS af_session (id text PRIMARY KEY, data jsonb NOT NULL)"
        )
        self.connection.commit()

    async def afill(self, session_id, length):
        session = AgentSession(session_id=session_id)
        said = [Message("user" if n % 2 else "assistant", [body()]) for n in range(length)]
        await self.save(session, said)
        data = Jsonb(session.to_dict())
        self.connection.execute("INSERT INTO af_session VALUES (%s, %s)", [session_id, data])
        self.connection.commit()

    async def aturn(self, session_id):
        found = self.connection.execute("SELECT data FROM af_session WHERE id = %s", [session_id])
        session = AgentSession.from_dict(found.fetchone()[0])
        state = session.state.setdefault("memory", {})
        assert await self.provider.get_messages(session_id, state=state)
        await self.save(session, [Message("user", [body()]), Message("assistant", [body()])])
        data = Jsonb(session.to_dict())
        self.connection.execute("UPDATE af_session SET data = %s WHERE id = %s", [data, session_id])
        self.connection.commit()

    async def save(self, session, messages):
        state = session.state.setdefault("memory", {})
        await self.provider.save_messages(session.session_id, messages, state=state)

    def close(self):
        self.connection.close()
        super().close()


ALL = (LangChainPostgres, LangGraphSaver, OpenAIAgentsSession, FrameworkSession)
