/** What the index holds. A change here needs another version: an index of any other version is made anew. */
export const schemaVersion = 1;

/**
 * `session`: one row a log, or what became of it. `size`, `mtime` and `ino` are what its file was when it was last
 * looked at, `indexed` how many bytes of the (unpacked) log have been read, `mark` the hash of the line before that
 * place, which tells a log that was continued from one that was replaced. `whole` says that this was to the end;
 * until then `state` holds the facts so far, and `facts` what both ends of the file tell. `heading` is what a filter
 * looks at.
 *
 * `said`: one row for each thing that was said, and where its line is. `blob` is set where the words are in an original
 * beside the log. `words` has the same row ids and no text: the text is in the log. Positions of words are not kept
 * (`detail=none`): they would make the index three times as large, and only a phrase needs them, for which the text is
 * looked at.
 */
export const schema = `
  CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    name TEXT NOT NULL,
    archived INTEGER NOT NULL,
    size INTEGER NOT NULL,
    mtime REAL NOT NULL,
    ino INTEGER NOT NULL,
    indexed INTEGER NOT NULL DEFAULT 0,
    mark TEXT NOT NULL DEFAULT '',
    whole INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT '',
    updated INTEGER NOT NULL DEFAULT 0,
    prompts INTEGER NOT NULL DEFAULT 0,
    heading TEXT NOT NULL DEFAULT '',
    facts TEXT NOT NULL DEFAULT '',
    UNIQUE (project, name)
  ) STRICT;
  CREATE INDEX session_by_time ON session (updated DESC, id) WHERE prompts > 0;
  CREATE INDEX session_by_project ON session (project, updated DESC, id) WHERE prompts > 0;
  CREATE TABLE said (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    blob TEXT
  ) STRICT;
  CREATE VIRTUAL TABLE words USING fts5 (
    text, content = '', contentless_delete = 1, detail = none, tokenize = "unicode61 categories 'L* N* Co M*'"
  );
  INSERT INTO words (words, rank) VALUES ('hashsize', 16000000)`;
