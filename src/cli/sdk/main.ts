/** The entry `clawdcode` of the package. `sdk/api/sdk.ts` describes its exports, and users get it as types. */
import type * as api from '../../sdk/api/sdk.ts';
import { ClawdCodeError as OwnError } from '../../sdk/errors.ts';
import { startQuery } from '../../sdk/query.ts';
import type { Host } from '../../sdk/run.ts';
import { startSession } from '../../sdk/session.ts';
import { packageRoot, programVersion } from '../process/appPaths.ts';
import { childProcessIn } from './childProcess.ts';
import { inProcessIn } from './inProcess.ts';

const inChild = childProcessIn(packageRoot());
const inProcess = inProcessIn(packageRoot());

const hostFor = (runIn: unknown): Host => ({
  connect: runIn === 'process' ? inProcess : inChild,
  env: process.env,
  version: programVersion(),
});

export const ClawdCodeError: typeof api.ClawdCodeError = OwnError;
export const query: typeof api.query = (request) => startQuery(request, hostFor(request?.options?.runIn));
export const createSession: typeof api.createSession = (options) =>
  startSession(options, hostFor(options?.runIn));
export const tool: typeof api.tool = (definition: object) => definition as api.Tool;
