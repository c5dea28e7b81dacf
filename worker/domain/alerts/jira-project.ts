type JiraProject = {
  /** Base address of its REST API, without a slash at the end. */
  base: string
  key: string
  /** The type of its issues. */
  type: string
}

/**
 * The project at an address that a browser shows: `https://acme.atlassian.net/browse/SEC`, `…/jira/software/projects/SEC/boards/1`,
 * `https://jira.example.com/context/projects/SEC/summary`; `?type=Bug` names a type of issues other than Task. Null when it names
 * none. Keys are as Atlassian allows them: a capital letter, then capital letters, digits or `_`.
 */
export function findJiraProject(address: string): JiraProject | null {
  if (!URL.canParse(address)) return null
  const { origin, host, pathname, searchParams } = new URL(address)
  const parts = pathname.split('/')
  const at = parts.findIndex((part) => part === 'browse' || part === 'projects')
  // An issue of the project stands for it.
  const [key = ''] = (parts[at + 1] ?? '').toUpperCase().split('-')
  if (at < 0 || !/^[A-Z][A-Z0-9_]{1,79}$/.test(key)) return null
  // The path before is a folder of a server; at Jira Cloud it is one of its pages.
  const folder = host.endsWith('.atlassian.net') ? '' : parts.slice(0, at).join('/')
  return { base: `${origin}${folder}`, key, type: searchParams.get('type') || 'Task' }
}
