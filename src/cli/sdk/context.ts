/** The entry `clawdcode/context` of the package. `sdk/api/context.ts` describes its exports. */
import { isAbsolute, resolve } from 'node:path';
import { estimateTokens as estimate } from '../../context/index.ts';
import type * as api from '../../sdk/api/context.ts';
import { openEngine } from '../../sdk/contextEngine.ts';
import { openStore } from '../../sdk/contextOptions.ts';
import { ContextError as OwnError } from '../../sdk/errors.ts';
import { recallTool as ownRecallTool } from '../../tools/recall.ts';
import { packageRoot, programVersion } from '../process/appPaths.ts';
import { createTokenEncoder } from '../process/threads.ts';

const host = { version: programVersion(), createEncoder: () => createTokenEncoder(packageRoot()) };

export const ContextError: typeof api.ContextError = OwnError;
export const createContext: typeof api.createContext = async (options) =>
  openEngine(undefined, options, host);
export const openContext: typeof api.openContext = async (id, options) =>
  openEngine(String(id), options, host);
export const memoryStore: typeof api.memoryStore = () => openStore(undefined, host.version);
export const fileStore: typeof api.fileStore = (folder) => {
  if (typeof folder !== 'string' || !isAbsolute(folder))
    throw new OwnError('options', 'fileStore: expected an absolute path.');
  return openStore(resolve(folder), host.version);
};
export const recallTool: typeof api.recallTool = ownRecallTool().schema;
export const estimateTokens: typeof api.estimateTokens = (text) => estimate(text);
