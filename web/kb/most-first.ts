type Filters = { search?: string | undefined; monitored?: boolean | undefined; sorted_by?: string | undefined }

/** A list that nobody sorted or narrowed begins with what has most vulnerabilities; a search, with what fits best. */
export const mostFirst = <Query extends Filters>(query: Query) =>
  query.search || query.monitored || query.sorted_by ? query : { ...query, sorted_by: '-vulns_count' as const }
