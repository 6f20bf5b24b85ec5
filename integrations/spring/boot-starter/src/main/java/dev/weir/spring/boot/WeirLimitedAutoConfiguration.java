package dev.weir.spring.boot;

import dev.weir.named.Names;
import dev.weir.spring.LimitedConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Import;

/** The auto-configuration of {@link dev.weir.spring.Limited} methods: the beans of {@link LimitedConfiguration}. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnBean(Names.class)
@Import(LimitedConfiguration.class)
final class WeirLimitedAutoConfiguration {}
