/** The published Claude Agent SDK, from the folder where it was installed. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentSdk, Program } from './play.ts';

/** `folder` has a `node_modules` with the SDK and zod. */
export async function loadAgentSdk(
  folder: string,
): Promise<Pick<Program, 'sdk' | 'z'> & { readonly version: string }> {
  const { resolve } = createRequire(join(folder, 'package.json'));
  const load = (name: string): Promise<object> => import(pathToFileURL(resolve(name)).href);
  const packed = join(folder, 'node_modules/@anthropic-ai/claude-agent-sdk');
  const sdk = (await import(pathToFileURL(join(packed, 'sdk.mjs')).href)) as AgentSdk;
  const { z } = (await load('zod')) as Pick<Program, 'z'>;
  const { version } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')) as { version: string };
  return { sdk, z, version };
}
