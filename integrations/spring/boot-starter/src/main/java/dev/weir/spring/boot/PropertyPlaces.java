package dev.weir.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/** The places of properties that Spring binds, by their names. */
final class PropertyPlaces {
    private PropertyPlaces() {}

    /** The place of the property, or of the first one below it, or of the one above it; empty = the environment has none of them. */
    static String of(Environment environment, String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(property);
        while (name != null && name.getNumberOfElements() > 1) {
            for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
                ConfigurationProperty found = in(source, name);
                if (found != null) {
                    String place = Places.of(found.getOrigin());
                    return place.isEmpty() ? found.getName() + " of " + found.getSource() : place;
                }
            }
            name = name.getParent();
        }
        return "";
    }

    private static @Nullable ConfigurationProperty in(
            ConfigurationPropertySource source, ConfigurationPropertyName name) {
        ConfigurationProperty here = source.getConfigurationProperty(name);
        if (here != null || !(source instanceof IterableConfigurationPropertySource listed)) {
            return here;
        }
        return listed.stream()
                .filter(name::isAncestorOf)
                .findFirst()
                .map(source::getConfigurationProperty)
                .orElse(null);
    }
}
