"""The knowledge search: stems, the vocabulary's trigger, and the functions that search past row security.

Text and trigram operators lose their indexes under row-level security, so the three functions below run as
desk_search. Each takes the tenant from the open scope itself and gives back ids, words and counts only; the
caller reads the rows through its own policy.
"""

from django.db import migrations

_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

_CASES = "\n".join(
    f"    WHEN '{code}' THEN pg_catalog.ts_lexize('pg_catalog.{name}_stem', word)"
    for code, name in _STEMMERS.items()
)

# A stop word has no stem for PostgreSQL, and is kept as it is: "up" and "down" can be the whole question.
_STEMS = """
CREATE FUNCTION knowledge_lexeme(language text, word text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT coalesce((CASE language
-- cases
  END)[1], word)
$$;
CREATE FUNCTION knowledge_vector(language text, title text[], heading text[], body text[]) RETURNS tsvector
  LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = public, pg_temp
AS $$
  SELECT coalesce(string_agg(
    '''' || replace(replace(knowledge_lexeme($1, word), '\\', ''), '''', '''''') || ''':'
      || least(place, 16383) || weight, ' '), '')::tsvector
  FROM (
    SELECT word, place, 'A' AS weight FROM unnest($2) WITH ORDINALITY AS t (word, place)
    UNION ALL
    SELECT word, place + cardinality($2), 'B' FROM unnest($3) WITH ORDINALITY AS h (word, place)
    UNION ALL
    SELECT word, place + cardinality($2) + cardinality($3), 'D'
    FROM unnest($4) WITH ORDINALITY AS b (word, place)
  ) AS fields
$$;
""".replace("-- cases", _CASES)

_STEMS_REVERSE = """
DROP FUNCTION knowledge_vector(text, text[], text[], text[]);
DROP FUNCTION knowledge_lexeme(text, text);
"""

# Ordered, so that two writers of one tenant meet its words in the same order and cannot deadlock.
_COUNTS = """
CREATE FUNCTION knowledge_count_words() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp
AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO agents_knowledgeword AS known (id, tenant_id, lexeme, word, passages)
    SELECT gen_random_uuid(), tenant_id, lexeme, word, sum(passages)
    FROM (
      SELECT tenant_id, knowledge_lexeme(language, word) AS lexeme, word, count(*) AS passages
      FROM changed, unnest(words) AS word GROUP BY tenant_id, language, word
    ) AS said
    GROUP BY tenant_id, lexeme, word ORDER BY tenant_id, lexeme, word
    ON CONFLICT (tenant_id, lexeme, word) DO UPDATE SET passages = known.passages + EXCLUDED.passages;
  ELSE
    PERFORM 1 FROM agents_knowledgeword known
    JOIN (SELECT DISTINCT tenant_id, word FROM changed, unnest(words) AS word) gone USING (tenant_id, word)
    ORDER BY known.tenant_id, known.lexeme, known.word
    FOR UPDATE OF known;
    WITH gone AS (
      SELECT tenant_id, knowledge_lexeme(language, word) AS lexeme, word, count(*) AS passages
      FROM changed, unnest(words) AS word GROUP BY 1, 2, 3
    )
    UPDATE agents_knowledgeword known SET passages = greatest(known.passages - gone.passages, 0)
    FROM gone
    WHERE (known.tenant_id, known.lexeme, known.word) = (gone.tenant_id, gone.lexeme, gone.word);
    DELETE FROM agents_knowledgeword known
    USING (SELECT DISTINCT tenant_id FROM changed) AS tenants
    WHERE known.tenant_id = tenants.tenant_id AND known.passages = 0;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER passage_words_added AFTER INSERT ON agents_passage
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION knowledge_count_words();
CREATE TRIGGER passage_words_gone AFTER DELETE ON agents_passage
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION knowledge_count_words();
"""

_COUNTS_REVERSE = """
DROP TRIGGER passage_words_added ON agents_passage;
DROP TRIGGER passage_words_gone ON agents_passage;
DROP FUNCTION knowledge_count_words();
"""

_RIGHTS = """
CREATE POLICY passage_search ON agents_passage FOR SELECT TO desk_search USING (true);
CREATE POLICY article_search ON agents_article FOR SELECT TO desk_search USING (true);
CREATE POLICY knowledge_word_search ON agents_knowledgeword FOR SELECT TO desk_search USING (true);
GRANT SELECT (id, tenant_id, article_id, length, search) ON agents_passage TO desk_search;
GRANT SELECT (id, tenant_id, language, outdated) ON agents_article TO desk_search;
GRANT SELECT (tenant_id, word, lexeme, passages) ON agents_knowledgeword TO desk_search;
GRANT EXECUTE ON FUNCTION knowledge_lexeme(text, text) TO desk_search;
"""

_RIGHTS_REVERSE = """
DROP POLICY passage_search ON agents_passage;
DROP POLICY article_search ON agents_article;
DROP POLICY knowledge_word_search ON agents_knowledgeword;
REVOKE SELECT (id, tenant_id, article_id, length, search) ON agents_passage FROM desk_search;
REVOKE SELECT (id, tenant_id, language, outdated) ON agents_article FROM desk_search;
REVOKE SELECT (tenant_id, word, lexeme, passages) ON agents_knowledgeword FROM desk_search;
"""

_SEARCH = """
-- The stems of the asked words that the tenant's passages hold, in each language that its articles have.
CREATE FUNCTION knowledge_words(asked text[])
  RETURNS TABLE (word text, lexeme text, passages bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
  WITH tenant AS MATERIALIZED (SELECT current_setting('app.tenant_id')::uuid AS id),
  stems AS MATERIALIZED (
    SELECT DISTINCT a.word, knowledge_lexeme(l.language, a.word) AS lexeme
    FROM unnest(asked) AS a (word),
      (SELECT DISTINCT language FROM agents_article WHERE tenant_id = (SELECT id FROM tenant)) AS l
  )
  SELECT s.word, s.lexeme, sum(k.passages)::bigint
  FROM stems s JOIN agents_knowledgeword k ON k.tenant_id = (SELECT id FROM tenant) AND k.lexeme = s.lexeme
  GROUP BY s.word, s.lexeme
$$;

-- The tenant's words that look like an unknown one: same first letter, or the first two swapped. The caller
-- measures the distance; the order by trigrams only bounds what it gets.
CREATE FUNCTION knowledge_neighbours(unknown text[])
  RETURNS TABLE (word text, near text, lexeme text, passages bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
  SELECT u.word, n.word, n.lexeme, n.passages::bigint
  FROM unnest(unknown) AS u (word), LATERAL (
    SELECT k.word, k.lexeme, k.passages
    FROM agents_knowledgeword k
    WHERE k.tenant_id = (SELECT current_setting('app.tenant_id')::uuid)
      AND left(k.word, 1) IN (left(u.word, 1), substr(u.word, 2, 1))
      AND length(k.word) BETWEEN length(u.word) - 2 AND length(u.word) + 2
    ORDER BY similarity(k.word, u.word) DESC, k.word
    LIMIT 30
  ) AS n
$$;

-- The passages that promise most, with how often each asked stem stands in title, headings and text.
-- drivers[i] is a stem worth looking up for groups[i] (a word of the question), worths[i] what it is worth.
CREATE FUNCTION knowledge_candidates(
    drivers text[], groups integer[], worths real[], asked text[], wanted integer)
  RETURNS TABLE (
    passage_id uuid, article_id uuid, length integer, outdated boolean, lexemes text[], counts integer[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
  WITH found AS MATERIALIZED (
    SELECT hit.id, d.grp, max(d.worth) AS worth
    FROM unnest(drivers, groups, worths) AS d (lexeme, grp, worth), LATERAL (
      SELECT p.id FROM agents_passage p
      WHERE p.tenant_id = (SELECT current_setting('app.tenant_id')::uuid)
        AND p.search @@ ('''' || replace(replace(d.lexeme, '\\', ''), '''', '''''') || '''')::tsquery
    ) AS hit
    GROUP BY hit.id, d.grp
  ), best AS MATERIALIZED (
    SELECT id FROM found GROUP BY id ORDER BY sum(worth) DESC, id LIMIT wanted
  )
  SELECT p.id, p.article_id, p.length, a.outdated, hits.lexemes, hits.counts
  FROM best JOIN agents_passage p USING (id) JOIN agents_article a ON a.id = p.article_id, LATERAL (
    SELECT array_agg(v.lexeme) AS lexemes, array_agg(ARRAY[
      cardinality(array_positions(v.weights, 'A')),
      cardinality(array_positions(v.weights, 'B')),
      cardinality(array_positions(v.weights, 'D'))]) AS counts
    FROM unnest(p.search) AS v
    WHERE v.lexeme = ANY (asked)
  ) AS hits
$$;
"""

_FUNCTIONS = [
    "knowledge_words(text[])",
    "knowledge_neighbours(text[])",
    "knowledge_candidates(text[], integer[], real[], text[], integer)",
]
_SEARCH_OWNED = "".join(
    f"ALTER FUNCTION {name} OWNER TO desk_search;"
    f"REVOKE ALL ON FUNCTION {name} FROM PUBLIC;"
    f"GRANT EXECUTE ON FUNCTION {name} TO desk_app;"
    for name in _FUNCTIONS
)
_SEARCH_REVERSE = "".join(f"DROP FUNCTION {name};" for name in _FUNCTIONS)


class Migration(migrations.Migration):
    dependencies = [("agents", "0003_knowledge")]

    operations = [
        migrations.RunSQL(_STEMS, _STEMS_REVERSE),
        migrations.RunSQL(_COUNTS, _COUNTS_REVERSE),
        migrations.RunSQL(_RIGHTS, _RIGHTS_REVERSE),
        migrations.RunSQL(_SEARCH + _SEARCH_OWNED, _SEARCH_REVERSE),
    ]
