package dev.weir.testkit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Sets Awaitility's default timeout for the tests of all modules, which find this class by the surefire configuration of the
 * root {@code pom.xml}. It bounds a wait for something that never happens; a machine may be slow.
 */
public final class AwaitilityTimeout implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(2));
    }
}
