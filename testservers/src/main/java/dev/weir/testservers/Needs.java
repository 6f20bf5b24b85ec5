package dev.weir.testservers;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks tests that start a server. They are skipped where the machine does not have its program, and fail there under
 * {@code -Dweir.servers=required}. {@code -DexcludedGroups=server} leaves them out.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Tag("server")
@ExtendWith(NeedsCondition.class)
public @interface Needs {
    /** The server. */
    Server value();
}
