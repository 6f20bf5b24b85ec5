package dev.weir.spring.boot;

import dev.weir.config.LimiterRegistry;

/** A bean that sets options of the registry that the starter builds, after all properties. */
@FunctionalInterface
public interface RegistryCustomizer {
    /** Sets options. Called once, at the start. */
    void customize(LimiterRegistry.Builder builder);
}
