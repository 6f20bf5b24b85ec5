package dev.weir.spring.boot;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.boot.origin.OriginTrackedResource;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin.Location;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;

/** The places of properties, as a user looks for them: {@code application.yml:8:25}, {@code variable WEIR_REMOVED}. */
final class Places {
    private Places() {}

    /** The origin in the innermost source; null = unknown. */
    static @Nullable Origin origin(PropertySource<?> source, String key) {
        Origin found = OriginLookup.getOrigin(source, key);
        while (found instanceof PropertySourceOrigin outer && outer.getOrigin() != found) {
            found = outer.getOrigin();
        }
        return found;
    }

    static String of(PropertySource<?> source, String key) {
        return of(origin(source, key), source, key);
    }

    /** The place of an origin that Spring tells; null or unknown = empty. */
    static String of(@Nullable Origin origin) {
        if (origin instanceof PropertySourceOrigin outer) {
            Origin inner = outer.getOrigin();
            return inner == null || inner == origin
                    ? of(null, outer.getPropertySource(), outer.getPropertyName())
                    : of(inner);
        }
        return origin instanceof TextResourceOrigin text ? text(text) : origin == null ? "" : origin.toString();
    }

    private static String of(@Nullable Origin origin, PropertySource<?> source, String key) {
        if (origin instanceof TextResourceOrigin text) {
            return text(text);
        }
        return (source instanceof SystemEnvironmentPropertySource ? "variable" : source.getName()) + " " + key;
    }

    private static String text(TextResourceOrigin origin) {
        Resource resource = origin.getResource();
        Location at = origin.getLocation();
        String file = resource == null ? "unknown" : file(resource);
        return at == null ? file : file + ":" + (at.getLine() + 1) + ":" + (at.getColumn() + 1);
    }

    private static String file(Resource resource) {
        if (resource instanceof OriginTrackedResource tracked) {
            return file(tracked.getResource());
        }
        if (resource instanceof ClassPathResource onPath) {
            return onPath.getPath();
        }
        if (resource instanceof FileSystemResource file) {
            return plain(file.getPath());
        }
        try {
            return resource.isFile() ? plain(resource.getURL().getPath()) : resource.getDescription();
        } catch (IOException e) {
            return resource.getDescription();
        }
    }

    private static String plain(String path) {
        return path.startsWith("./") ? path.substring(2) : path;
    }

    /** The place of the property, or of the first one below it, or of the one above it; empty = the environment has none of them. */
    static String of(Environment environment, String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(property);
        while (name != null && name.getNumberOfElements() > 1) {
            for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
                ConfigurationProperty found = in(source, name);
                if (found != null) {
                    String place = of(found.getOrigin());
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
