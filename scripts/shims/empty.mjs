// Replaces an optional module that a dependency imports only in its own development mode.
export default {};
