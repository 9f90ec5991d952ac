/** The SDK of the installed package, with a repository and a model server. */
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as api from '../../../src/sdk/api/sdk.ts';
import { program } from './program.ts';
import { setUpProgram, type TestProgram } from './testProgram.ts';

export type Sdk = typeof api;
export const runIns = ['child', 'process'] as const;

/** The folder of the installed package. */
export function packageFolder(): string {
  return dirname(dirname(program()[1] ?? ''));
}

export async function setUpSdk(): Promise<
  TestProgram & { readonly sdk: Sdk; readonly options: api.SessionOptions }
> {
  const setup = await setUpProgram();
  const sdk: Sdk = await import(pathToFileURL(join(packageFolder(), 'dist/sdk.js')).href);
  const { work, access } = setup;
  return { ...setup, sdk, options: { cwd: work.repository, env: work.env(access) } };
}

/** All events until the end. */
export async function collect(events: AsyncIterable<api.SessionEvent>): Promise<api.SessionEvent[]> {
  const all: api.SessionEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** The last event of a query, which has to be its result. */
export async function resultOf(events: AsyncIterable<api.SessionEvent>): Promise<api.ResultEvent> {
  const last = (await collect(events)).at(-1);
  if (last?.type !== 'result') throw new Error(`no result, but ${JSON.stringify(last)}`);
  return last;
}
