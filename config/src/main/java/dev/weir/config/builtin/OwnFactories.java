package dev.weir.config.builtin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.config.factory.Factory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * The factories of this package. The compiler lists those with {@code @AutoService} in {@code META-INF/services}, where {@link
 * ServiceLoader} finds them on the class path. On the module path it ignores that list: this class reads it there.
 */
public final class OwnFactories {
    private OwnFactories() {}

    /** Those of one class that {@link ServiceLoader} does not find: none on the class path. */
    public static <F extends Factory<?>> List<F> of(Class<F> service) {
        Module module = OwnFactories.class.getModule();
        List<F> factories = new ArrayList<>();
        if (module.isNamed()) {
            try (InputStream list = module.getResourceAsStream("META-INF/services/" + service.getName());
                    BufferedReader lines = new BufferedReader(new InputStreamReader(list, UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    factories.add(Class.forName(module, line)
                            .asSubclass(service)
                            .getConstructor()
                            .newInstance());
                }
            } catch (IOException | ReflectiveOperationException e) {
                throw new IllegalStateException("cannot load the factories of " + module, e);
            }
        }
        return factories;
    }
}
