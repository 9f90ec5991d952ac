/** Runs before each test file of permissions: these share processes, and a file may change the workspace. */
import { newWorkspace } from './harness.ts';

newWorkspace();
