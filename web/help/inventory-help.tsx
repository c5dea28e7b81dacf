import { Code } from '@mantine/core'
import { AppLink } from '../ui/app-link'

const curl = (origin: string) => `curl --fail-with-body -X PUT \\
  -H "Authorization: Token $EARSHOT_TOKEN" \\
  --data-binary @bom.json \\
  ${origin}/api/inventories/my-service`

const workflow = (origin: string) => `# .github/workflows/earshot.yml
name: Earshot
on: { push: { branches: [main] } }
jobs:
  inventory:
    runs-on: ubuntu-latest
    permissions: { contents: read }
    steps:
      - uses: actions/checkout@v4
      - run: npm sbom --package-lock-only --sbom-format cyclonedx | gzip > bom.json.gz
      - run: >-
          curl --fail-with-body -X PUT
          -H "Authorization: Token $EARSHOT_TOKEN"
          --data-binary @bom.json.gz
          ${origin}/api/inventories/\${{ github.event.repository.name }}
        env:
          EARSHOT_TOKEN: \${{ secrets.EARSHOT_TOKEN }}`

/** How a build tells what it runs. */
export const inventoryTopic = {
  title: 'Inventories',
  words: 'sbom bill of materials cyclonedx spdx lock file ci build github actions workflow curl upload vex',
  body: (
    <>
      <p>
        Drop a bill of materials (CycloneDX, SPDX) or a lock file under{' '}
        <AppLink to="/monitoring/inventories">Inventories</AppLink>, or send it from your build with an API token from
        the settings. Sent again under the same name it replaces what was there, and the answer tells what changed:
        components added and removed, findings new and gone. Up to 20 MB, gzip is accepted.
      </p>
      <Code block tabIndex={0} role="region" aria-label="Call of curl">
        {curl(window.location.origin)}
      </Code>
      <p>In a workflow of GitHub, with the token as the secret EARSHOT_TOKEN:</p>
      <Code block tabIndex={0} role="region" aria-label="Workflow of GitHub">
        {workflow(window.location.origin)}
      </Code>
    </>
  ),
}
