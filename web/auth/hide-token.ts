/** Once the token of a mailed link is read: the address bar, and the history of a browser that others use, need it no longer. */
export const hideToken = (path: string) => window.history.replaceState(window.history.state, '', path)
