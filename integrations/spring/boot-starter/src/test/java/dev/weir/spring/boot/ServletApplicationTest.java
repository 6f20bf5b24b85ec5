package dev.weir.spring.boot;

import org.junit.jupiter.api.Tag;

/** The sample application on servlets. */
@Tag("real-time")
final class ServletApplicationTest extends ApplicationContract {
    ServletApplicationTest() {
        super("servlet");
    }
}
