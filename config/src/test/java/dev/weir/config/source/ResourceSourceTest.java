package dev.weir.config.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.contract.ConfigSourceContract;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Resources that a test writes to a directory of the class path. */
class ResourceSourceTest extends ConfigSourceContract {
    @TempDir
    Path directory;

    /** This class once more, found by a loader that also has the directory. */
    private Class<?> near() throws Exception {
        URL classes =
                ResourceSourceTest.class.getProtectionDomain().getCodeSource().getLocation();
        ClassLoader loader =
                new URLClassLoader(
                        new URL[] {directory.toUri().toURL(), classes},
                        getClass().getClassLoader()) {
                    @Override
                    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                        return name.equals(Near.class.getName()) ? findClass(name) : super.loadClass(name, resolve);
                    }
                };
        return loader.loadClass(Near.class.getName());
    }

    /** Where the resource is looked for. */
    static final class Near {}

    @Override
    protected ConfigSource open() throws Exception {
        return ResourceSource.of(near(), "/limits.yaml");
    }

    @Override
    protected void write(byte[] content) throws IOException {
        Files.write(directory.resolve("limits.yaml"), content);
    }

    @Override
    protected void delete() throws IOException {
        Files.delete(directory.resolve("limits.yaml"));
    }

    @Test
    void itsNameIsThatOfTheResourceAndItIsWhole() throws Exception {
        write("limits: {}".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        try (ConfigSource source = open()) {
            assertEquals("resource:/limits.yaml", source.name());
            assertTrue(source.read().isWhole());
        }
    }
}
