// Replaces an optional module of a dependency that ClawdCode does not ship: it must not be taken from a folder around it.
throw new Error('This module is not part of ClawdCode.');
