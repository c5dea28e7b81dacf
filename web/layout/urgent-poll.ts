/** How often a tab asks for urgent news. Hidden tabs are most of those that are open, and each call is paid for (`tests/bench/cost`). */
export const urgentPoll_ms = { seen: 10_000, hidden: 30_000 }
