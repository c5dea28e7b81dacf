/** Sources that know only the day are stored at midnight (UTC): `2014-04-07T00:00:00Z` becomes the day `2014-04-07` in every zone. */
export const formatMoment = <At extends string | null>(at: At) =>
  (at?.endsWith('T00:00:00Z') ? at.slice(0, 10) : at) as At
