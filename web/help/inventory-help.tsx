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
        the settings. Sent again under the same name it replaces what was there, and the answer tells what changed:
        components added and removed, findings new and gone. Up to 20 MB, gzip is accepted.
      </p>
      <Code block tabIndex={0} role="region" aria-label="Call of curl">
        {writeCurl(window.location.origin)}
      </Code>
      <p>
        Each finding says whether the version is affected, who says so and what fixes it. Decide what does not concern
        you with a justification, a note, an owner and a last day: it is closed until then, and never alerted. Another
        version is judged anew. What suppliers say (CycloneDX VEX, OpenVEX, CSAF) is read as proposals under their name;
        your own decisions are exported in the same formats. A status of “not interesting” says nothing of being
        affected unless it has a justification.
      </p>
      <p>In a workflow of GitHub, with the token as the secret EARSHOT_TOKEN:</p>
      <Code block tabIndex={0} role="region" aria-label="Workflow of GitHub">
        {writeWorkflow(window.location.origin)}
      </Code>
    </>
  ),
}
