import { Code } from '@mantine/core'
import { AppLink } from '../ui/app-link'
import { writeCurl, writeWorkflow } from './inventory-calls'

export const inventoryTopic = {
  title: 'Inventories',
  words:
    'sbom bill of materials cyclonedx spdx lock file ci build github actions workflow curl upload vex decision justification owner expiry proposal supplier',
  body: (
    <>
      <p>
        Drop a bill of materials (CycloneDX, SPDX) or a lock file under{' '}
        <AppLink to="/monitoring/inventories">Inventories</AppLink>, or send it from your build with an API token from
        the settings. A document with the same name replaces the one before, so a name holds no version (Rename is on
        its page), and the answer lists what changed: components added and removed, new findings and those that are
        gone. Up to 20 MB; gzip is accepted.
      </p>
      <Code block tabIndex={0} role="region" aria-label="Example with curl">
        {writeCurl(window.location.origin)}
      </Code>
      <p>
        Each finding shows whether the version is affected, which source says so and what fixes it. If a finding does
        not concern you, decide so with a justification, a note, an owner and a last day: it is closed until then, and
        not alerted. A new version is checked again. Statements of suppliers (CycloneDX VEX, OpenVEX, CSAF) become
        proposals under their name, as do those of VEX Hub on products that are components here (the newest 200 on a
        vulnerability); your own decisions are exported in the same formats. The status “not interesting” is exported
        only with a justification.
      </p>
      <p>In a GitHub workflow, with the token in the secret EARSHOT_TOKEN:</p>
      <Code block tabIndex={0} role="region" aria-label="GitHub workflow">
        {writeWorkflow(window.location.origin)}
      </Code>
    </>
  ),
}
