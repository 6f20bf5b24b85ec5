package dev.weir.http.source;

import dev.weir.config.source.ConfigSource;
import java.time.Duration;

/** The server waits for a change. */
class HttpSourceWaitingContractTest extends HttpSourceContractTest {
    @Override
    protected ConfigSource open() {
        return builder().waiting(Duration.ofSeconds(55)).build();
    }
}
