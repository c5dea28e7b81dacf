/**
 * A stored time as it is answered: sources that know only the day are stored at its midnight (UTC), and a day is no instant.
 * So `2014-04-07T00:00:00Z` becomes `2014-04-07`, which is that day in every zone.
 */
export const formatMoment = <At extends string | null>(at: At) =>
  (at?.endsWith('T00:00:00Z') ? at.slice(0, 10) : at) as At
