type Filters = { search?: string | undefined; monitored?: boolean | undefined; sorted_by?: string | undefined }

/** Without sort and filters, what has most vulnerabilities comes first; a search begins with the best match. */
export const mostFirst = <Query extends Filters>(query: Query) =>
  query.search || query.monitored || query.sorted_by ? query : { ...query, sorted_by: '-vulns_count' as const }
