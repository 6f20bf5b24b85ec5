package dev.weir.spring.boot;

import org.junit.jupiter.api.Tag;

/** The sample application on WebFlux. */
@Tag("real-time")
final class WebFluxApplicationTest extends ApplicationContract {
    WebFluxApplicationTest() {
        super("reactive");
    }
}
