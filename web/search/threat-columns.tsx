import type { ThreatRow } from '../../worker/exploits/contract'
import { MetadataLink } from '../exploits/metadata-link'
import { Signs } from '../exploits/signs'
import { ExploitSource } from '../exploits/exploit-source'
import { trustWords } from '../exploits/words'
import { AppLink } from '../ui/app-link'
import type { Column } from '../ui/column'
import { Timestamp } from '../ui/timestamp'

export const threatRowColumns: Column<ThreatRow>[] = [
  {
    key: 'vuln',
    label: 'Vulnerability',
    width: 132,
    inCard: 'lead',
    cell: ({ vuln_id, cveid }) => (
      <AppLink to={`/vulns/${vuln_id}`} fw={600} underline="hover">
        {cveid ?? `PH-${vuln_id}`}
      </AppLink>
    ),
  },
  { key: 'link', label: 'Threat activity', inCard: 'wide', cell: (threat) => <MetadataLink row={threat} /> },
  { key: 'signs', label: 'Signs', width: 150, cell: (threat) => <Signs threat={threat} /> },
  { key: 'source', label: 'Source', width: 108, cell: ({ source }) => <ExploitSource source={source} /> },
  { key: 'trust', label: 'Trust', width: 74, cell: ({ trust_level }) => trustWords[trust_level] },
  { key: 'modified', label: 'Last update', width: 98, cell: ({ modified }) => <Timestamp at={modified} /> },
]
