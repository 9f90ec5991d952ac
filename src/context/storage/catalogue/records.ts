/** Rows of the index as the rest of the program knows them. */
import { join } from 'node:path';
import type { Usage } from '../../../protocol/messages.ts';
import type { SessionRecord } from '../../../protocol/sessions.ts';
import { bestTitle, type SessionFacts } from './facts.ts';
import { archiveFileIn } from './logFiles.ts';
import { lastPlace } from './projectPlaces.ts';
import type { SessionRow } from './rows.ts';

export interface Records {
  of(rows: readonly SessionRow[]): Promise<readonly SessionRecord[]>;
  /** Where projects are is looked at again. */
  forget(): void;
}

type Price = (model: string, usage: Usage) => number | undefined;

export function createRecords(dataRoot: string, costUsd: Price): Records {
  /** One look at the disk for all sessions of a project that were started in the same folder. */
  let places = new Map<string, ReturnType<typeof lastPlace>>();
  return {
    of: (rows) =>
      Promise.all(
        rows.map(async (row) => {
          const key = `${row.project}\n${row.facts.root}`;
          const place = places.get(key) ?? lastPlace(dataRoot, row.project, row.facts.root);
          places.set(key, place);
          return { ...recordOf(dataRoot, row, costUsd), ...(await place) };
        }),
      ),
    forget() {
      places = new Map();
    },
  };
}

function recordOf(
  dataRoot: string,
  row: SessionRow,
  costUsd: Price,
): Omit<SessionRecord, 'root' | 'isMoved'> {
  const { project, id, isArchived, bytes, mtimeMs, facts } = row;
  const folder = join(dataRoot, 'projects', project);
  return {
    id,
    file: isArchived ? archiveFileIn(folder, id) : join(folder, `${id}.jsonl`),
    project,
    ...bestTitle(facts),
    createdAt: new Date(facts.createdAt ?? mtimeMs),
    updatedAt: new Date(facts.updatedAt ?? mtimeMs),
    bytes,
    gitBranch: facts.gitBranch,
    messageCount: facts.entries,
    promptCount: facts.prompts,
    model: facts.model,
    ...tokensOf(facts, costUsd),
    isArchived,
    forkedFrom: facts.forkedFrom,
    lastLines: facts.lastLines,
  };
}

/** The cost is unknown as soon as one model has no price. */
function tokensOf(
  { usage }: SessionFacts,
  costUsd: Price,
): Pick<SessionRecord, 'inputTokens' | 'outputTokens' | 'costUsd'> {
  let [inputTokens, outputTokens] = [0, 0];
  let sum: number | undefined = 0;
  for (const [model, { input, output, cached }] of Object.entries(usage)) {
    inputTokens += input;
    outputTokens += output;
    const cost = costUsd(model, { inputTokens: input, outputTokens: output, cachedTokens: cached });
    sum = sum === undefined || cost === undefined ? undefined : sum + cost;
  }
  return { inputTokens, outputTokens, costUsd: sum };
}
