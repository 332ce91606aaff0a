"""The process that `migrations` starts: reads its environment, migrates, ends."""

import os

from cortex.adapters.postgres.migrate import upgrade


def main() -> None:
    upgrade(
        os.environ["CORTEX_MIGRATE_URL"],
        service_password=os.environ["CORTEX_MIGRATE_SERVICE_PASSWORD"],
        replay_password=os.environ["CORTEX_MIGRATE_REPLAY_PASSWORD"],
    )


if __name__ == "__main__":
    main()
