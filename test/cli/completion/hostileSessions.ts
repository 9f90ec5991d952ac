/** Sessions as the program names them to a shell. Titles are a stranger's words: what they hold must not run. */
export const hostileSessions =
  "4f8kAAAA\tFix the login\n4f9zBBBB\tWhat $(touch owned) 'does'\nzz11CCCC\tfix tests; rm -rf x\n";
