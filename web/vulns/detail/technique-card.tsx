import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { plural } from '../../lib/format'
import { OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import classes from '../vuln-detail.module.css'

type Technique = VulnDetail['attack_techniques'][number]

/** Techniques that merely follow from a weakness fit thousands of vulnerabilities, so they are folded. */
export function TechniqueCard({ techniques }: { techniques: Technique[] }) {
  const exposed = techniques.filter(({ reason }) => reason === 'exposure')
  const derived = techniques.filter(({ reason }) => reason === 'weakness')
  if (techniques.length === 0) return null
  return (
    <Card title="ATT&CK techniques">
      {exposed.length > 0 && (
        <>
          <p className={classes.note}>Reached over a network without authentication:</p>
          <TechniqueList techniques={exposed} />
        </>
      )}
      {derived.length > 0 && (
        <details>
          <summary className={classes.more}>
            {plural(derived.length, 'technique')} that {derived.length === 1 ? 'follows' : 'follow'} from its CWE alone
          </summary>
          <TechniqueList techniques={derived} />
        </details>
      )}
    </Card>
  )
}

const TechniqueList = ({ techniques }: { techniques: Technique[] }) => (
  <ul className={classes.references}>
    {techniques.map(({ external_id, url, description }) => (
      <li key={external_id}>
        <OutLink href={url}>{external_id}</OutLink> {description}
      </li>
    ))}
  </ul>
)
