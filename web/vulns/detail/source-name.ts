const names: Record<string, string> = {
  cve: 'CVE list',
  nvd: 'NVD',
  overrides: 'NVD overrides',
  ghsa: 'GitHub',
  osv: 'OSV',
  redhat: 'Red Hat',
  kev: 'CISA KEV',
  exploitdb: 'Exploit-DB',
  metasploit: 'Metasploit',
  poc: 'PoC in GitHub',
  nuclei: 'Nuclei',
  manual: 'Written by hand',
}

/** `osv/GO-2022-0470` becomes "OSV GO-2022-0470". */
export function sourceName(source: string) {
  const [family = '', ...ref] = source.split('/')
  const name = names[family] ?? family
  return family === 'manual' || ref.length === 0 ? name : `${name} ${ref.join('/')}`
}
