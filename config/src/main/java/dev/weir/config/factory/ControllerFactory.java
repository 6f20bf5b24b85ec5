package dev.weir.config.factory;

import dev.weir.adaptive.Controller;

/**
 * A factory of a controller, with its name in documents. Each call of {@link #create} returns a new controller, for one limiter.
 */
public interface ControllerFactory extends Factory<Controller> {}
