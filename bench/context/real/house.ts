/** The product's own context engine over a log in a temporary folder, with a clock that the trace moves. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContextManager, PersistentStore, type SummaryModel } from '../../../src/context/index.ts';
import type { ModelInfo } from '../../../src/protocol/models/model.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';

export interface House {
  readonly manager: ContextManager;
  readonly model: ModelInfo;
  /** The project's folder. */
  readonly root: string;
  /** Minutes since the trace began. */
  minute: number;
  close(): Promise<void>;
}

/** A project and a time of its own; absent = the temporary folder, and `House.minute`. */
export interface Place {
  readonly root?: string;
  readonly minute?: () => number;
}

const START = Date.UTC(2026, 0, 5, 9);

export async function openHouse(
  windowTokens: number,
  settings: unknown,
  summarize: SummaryModel,
  place: Place = {},
): Promise<House> {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-bench-context-'));
  const root = place.root ?? folder;
  const now = (): number => START + (place.minute?.() ?? house.minute) * 60_000;
  const store = new PersistentStore({
    dataRoot: join(folder, 'data'),
    projectRoot: root,
    programVersion: 'bench',
    now: () => new Date(now()),
  });
  const model: ModelInfo = {
    id: 'bench',
    windowTokens,
    maxOutputTokens: 8192,
    source: 'setting',
    tokenizer: 'unknown',
  };
  const manager = new ContextManager({
    store,
    root,
    settings: contextSettingsSchema.parse(settings),
    model: () => model,
    summarize,
    isSensitive: () => false,
    clock: now,
  });
  const house: House = {
    manager,
    model,
    root,
    minute: 0,
    close: async () => {
      await manager.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return house;
}
