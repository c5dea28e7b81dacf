type Filters = { search?: string | undefined; monitored?: boolean | undefined; sorted_by?: string | undefined }

/** A list without sort and filters starts with the most vulnerabilities; a search starts with the best match. */
export const mostFirst = <Query extends Filters>(query: Query) =>
  query.search || query.monitored || query.sorted_by ? query : { ...query, sorted_by: '-vulns_count' as const }
