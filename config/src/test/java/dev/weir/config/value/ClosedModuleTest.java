package dev.weir.config.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application's module opens its package, or the error says what to write. */
class ClosedModuleTest {
    @TempDir
    Path dir;

    private Object gateOf(String declarations) throws IOException, ReflectiveOperationException {
        Path sources = Files.createDirectories(dir.resolve("com/shop"));
        Path module = Files.writeString(dir.resolve("module-info.java"), "module shop { " + declarations + " }");
        Path gate = Files.writeString(sources.resolve("Gate.java"), """
                package com.shop;
                public final class Gate {
                    private volatile int permits;
                    public Gate() {}
                    @dev.weir.config.value.ConfigParam(value = "permits", orElse = "40")
                    private void onUpdate(int permits) { this.permits = permits; }
                    @Override public String toString() { return "" + permits; }
                }
                """);
        Path classes = dir.resolve("classes");
        String path = System.getProperty("java.class.path");
        int result = ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(
                        System.out,
                        System.err,
                        "-proc:none",
                        "-cp",
                        path,
                        "--add-reads",
                        "shop=ALL-UNNAMED",
                        "-d",
                        classes.toString(),
                        module.toString(),
                        gate.toString());
        assertEquals(0, result);
        ModuleLayer boot = ModuleLayer.boot();
        Configuration shop = boot.configuration().resolve(ModuleFinder.of(classes), ModuleFinder.of(), Set.of("shop"));
        ModuleLayer layer = boot.defineModulesWithOneLoader(shop, ConfigParam.class.getClassLoader());
        Constructor<?> constructor =
                layer.findLoader("shop").loadClass("com.shop.Gate").getConstructor();
        return constructor.newInstance();
    }

    @Test
    void aClosedPackageIsNamedWithTheLineThatOpensIt() throws Exception {
        Object gate = gateOf("exports com.shop;");
        try (StoredValues stored = new StoredValues()) {
            assertEquals(
                    "@ConfigParam of Gate.onUpdate needs \"opens com.shop;\" in the module-info of shop",
                    assertThrows(IllegalArgumentException.class, () -> stored.values.bind(gate))
                            .getMessage());
        }
    }

    @Test
    void anOpenPackageIsBound() throws Exception {
        Object gate = gateOf("exports com.shop; opens com.shop;");
        try (StoredValues stored = new StoredValues()) {
            stored.values.bind(gate);
            assertEquals("40", gate.toString());
            stored.apply(Map.of("permits", "7"));
            assertEquals("7", gate.toString());
        }
    }
}
